-- Every row belongs to a repository, which is named by its number. The
-- repository 0 is for rows of all.
CREATE TABLE fingerpost.repositories (
  id      integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name    text COLLATE "C" NOT NULL,
  clock   bigint NOT NULL DEFAULT 0, -- the newest modified of its objects
  version bigint NOT NULL DEFAULT 0, -- counts the versions of its document
  epoch   bigint NOT NULL DEFAULT 0, -- counts the locks
  saved   bigint NOT NULL DEFAULT 0, -- by which transaction: a random number
  lease   timestamptz,               -- until when it is locked; NULL if it is not
  owner   text NOT NULL DEFAULT ''   -- of the lock, in words
) WITH (fillfactor = 50);
-- A name may be longer than an entry of an index.
CREATE UNIQUE INDEX ON fingerpost.repositories (left(name, 200), hashtextextended(name, 0));
INSERT INTO fingerpost.repositories (id, name) OVERRIDING SYSTEM VALUE VALUES (0, '');

-- JSON of store.Repository, oaipmh.Restraint, store.Checkpoint and store.Run:
-- engine.Kind numbers the kinds.
CREATE TABLE fingerpost.documents (
  kind       smallint NOT NULL,
  repository integer NOT NULL,
  name       text COLLATE "C" NOT NULL,
  value      text NOT NULL
);
CREATE UNIQUE INDEX ON fingerpost.documents (kind, repository, left(name, 200), hashtextextended(name, 0));

-- Metadata prefixes and setSpecs: rows name them by number.
CREATE TABLE fingerpost.words (
  repository integer,
  id         bigint,
  text       text COLLATE "C" NOT NULL,
  PRIMARY KEY (repository, id)
);
CREATE INDEX ON fingerpost.words (repository, hashtextextended(text, 0));

-- An identifier, its records and the object made of them: engine.Object says
-- what the columns are.
CREATE TABLE fingerpost.objects (
  repository integer,
  id         bigint,
  key        bigint NOT NULL,
  state      smallint NOT NULL,
  lastmod    bigint NOT NULL,
  modified   bigint NOT NULL,
  page       bigint NOT NULL,
  weight     bigint NOT NULL,
  links      bigint NOT NULL,
  identifier text COLLATE "C" NOT NULL,
  prefixes   bytea NOT NULL,
  sets       bytea NOT NULL,
  value      bytea NOT NULL,
  records    bytea NOT NULL,
  PRIMARY KEY (repository, id)
) WITH (fillfactor = 90);
-- By key first: an identifier is looked for in all repositories too.
CREATE INDEX ON fingerpost.objects (key, repository);
CREATE INDEX ON fingerpost.objects (repository, modified);
CREATE INDEX ON fingerpost.objects (repository, page, id);

-- Every URL that finds an object: of the rows with a hash, the first is
-- preferred.
CREATE TABLE fingerpost.urls (
  hash       bigint,
  rank       smallint,
  repository integer,
  object     bigint,
  PRIMARY KEY (hash, rank, repository, object)
);

-- The bytes of a block are apart from its row, so that a new live does not
-- rewrite them. They are packed already.
CREATE TABLE fingerpost.blocks (
  repository integer,
  id         bigint,
  size       bigint NOT NULL,
  live       bigint NOT NULL,
  PRIMARY KEY (repository, id)
);
CREATE TABLE fingerpost.block_bytes (
  repository integer,
  id         bigint,
  bytes      bytea NOT NULL,
  PRIMARY KEY (repository, id)
);
ALTER TABLE fingerpost.block_bytes ALTER bytes SET STORAGE EXTERNAL;

CREATE TABLE fingerpost.signmap_pages (
  repository integer,
  page       bigint,
  objects    bigint NOT NULL,
  deleted    bigint NOT NULL,
  weight     bigint NOT NULL,
  modified   bigint NOT NULL,
  lastmod    bigint NOT NULL,
  linked     bigint[] NOT NULL,
  PRIMARY KEY (repository, page)
) WITH (fillfactor = 50);

CREATE TABLE fingerpost.quarantine (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  repository integer NOT NULL,
  hash       bigint NOT NULL,
  identifier text NOT NULL,
  prefix     text NOT NULL,
  stored     boolean NOT NULL,
  reason     text NOT NULL,
  page       text NOT NULL,
  bytes      bytea NOT NULL,
  at         bigint NOT NULL
);
CREATE INDEX ON fingerpost.quarantine (repository, id);
CREATE INDEX ON fingerpost.quarantine (repository, hash);

CREATE TABLE fingerpost.probes (
  repository integer,
  hash       bigint,
  object     bigint NOT NULL,
  due        bigint NOT NULL,
  value      bytea NOT NULL,
  PRIMARY KEY (repository, hash)
);
CREATE INDEX ON fingerpost.probes (repository, due, hash);

-- The sources that are configured: engine.Source says what the columns are.
CREATE TABLE fingerpost.sources (
  repository  text COLLATE "C" PRIMARY KEY,
  host        text COLLATE "C" NOT NULL,
  due         bigint NOT NULL,
  why         text NOT NULL,
  settings    text NOT NULL,
  state       text COLLATE "C" NOT NULL,
  class       text NOT NULL,
  failures    bigint NOT NULL,
  began       bigint NOT NULL,
  complete    bigint NOT NULL,
  objects     bigint NOT NULL,
  deleted     bigint NOT NULL,
  quarantined bigint NOT NULL,
  reason      text NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX ON fingerpost.sources (due, host);
CREATE INDEX ON fingerpost.sources (host, due);
