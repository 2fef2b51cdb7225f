-- "fpst": a file with another program's tables is not touched.
PRAGMA application_id = 1718645620;
PRAGMA user_version = 1;

-- Rows name their repository by its number; 0 stands for none, or for the
-- repository named "".
CREATE TABLE repositories (
  id      INTEGER PRIMARY KEY,
  name    TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL DEFAULT 0 -- counts the versions of its document
) STRICT;

-- JSON of store.Repository, oaipmh.Restraint, store.Checkpoint and store.Run:
-- engine.Kind numbers the kinds.
CREATE TABLE documents (
  kind       INTEGER NOT NULL,
  repository INTEGER NOT NULL,
  name       TEXT NOT NULL,
  value      TEXT NOT NULL,
  PRIMARY KEY (kind, repository, name)
) STRICT, WITHOUT ROWID;

-- Metadata prefixes and setSpecs: rows name them by number.
CREATE TABLE words (
  id         INTEGER PRIMARY KEY,
  repository INTEGER NOT NULL,
  text       TEXT NOT NULL,
  UNIQUE (repository, text)
) STRICT;

-- An identifier, its records and the object made of them: engine.Object says
-- what the columns are.
CREATE TABLE objects (
  id         INTEGER PRIMARY KEY,
  repository INTEGER NOT NULL,
  key        INTEGER NOT NULL,
  identifier TEXT NOT NULL,
  state      INTEGER NOT NULL,
  lastmod    INTEGER NOT NULL,
  modified   INTEGER NOT NULL,
  page       INTEGER NOT NULL,
  weight     INTEGER NOT NULL,
  links      INTEGER NOT NULL,
  prefixes   BLOB NOT NULL,
  sets       BLOB NOT NULL,
  value      BLOB NOT NULL,
  records    BLOB NOT NULL
) STRICT;
-- By key first: an identifier is looked for in all repositories too.
CREATE INDEX objects_by_key ON objects (key, repository);
CREATE INDEX objects_by_id ON objects (repository);
CREATE INDEX objects_by_modified ON objects (repository, modified);
CREATE INDEX objects_by_page ON objects (repository, page);

-- Every URL that finds an object: of the rows with a hash, the first is
-- preferred.
CREATE TABLE urls (
  hash   INTEGER NOT NULL,
  rank   INTEGER NOT NULL,
  object INTEGER NOT NULL,
  PRIMARY KEY (hash, rank, object)
) STRICT, WITHOUT ROWID;

-- The bytes of a block are apart from its row, so that a new live does not
-- rewrite them.
CREATE TABLE blocks (
  id         INTEGER PRIMARY KEY,
  repository INTEGER NOT NULL,
  size       INTEGER NOT NULL,
  live       INTEGER NOT NULL
) STRICT;
CREATE INDEX blocks_by_repository ON blocks (repository);
CREATE TABLE block_bytes (
  id    INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
) STRICT;

CREATE TABLE signmap_pages (
  repository INTEGER NOT NULL,
  page       INTEGER NOT NULL,
  objects    INTEGER NOT NULL,
  deleted    INTEGER NOT NULL,
  weight     INTEGER NOT NULL,
  modified   INTEGER NOT NULL,
  lastmod    INTEGER NOT NULL,
  linked1    INTEGER NOT NULL,
  linked2    INTEGER NOT NULL,
  linked3    INTEGER NOT NULL,
  linked4    INTEGER NOT NULL,
  linked5    INTEGER NOT NULL,
  linked6    INTEGER NOT NULL,
  linked7    INTEGER NOT NULL,
  PRIMARY KEY (repository, page)
) STRICT, WITHOUT ROWID;

CREATE TABLE quarantine (
  id         INTEGER PRIMARY KEY,
  repository INTEGER NOT NULL,
  hash       INTEGER NOT NULL,
  identifier TEXT NOT NULL,
  prefix     TEXT NOT NULL,
  stored     INTEGER NOT NULL,
  reason     TEXT NOT NULL,
  page       TEXT NOT NULL,
  bytes      BLOB NOT NULL,
  at         INTEGER NOT NULL
) STRICT;
CREATE INDEX quarantine_by_id ON quarantine (repository);
CREATE INDEX quarantine_by_hash ON quarantine (repository, hash);

CREATE TABLE probes (
  repository INTEGER NOT NULL,
  hash       INTEGER NOT NULL,
  object     INTEGER NOT NULL,
  due        INTEGER NOT NULL,
  value      BLOB NOT NULL,
  PRIMARY KEY (repository, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX probes_by_due ON probes (repository, due);

-- The sources that are configured: engine.Source says what the columns are.
CREATE TABLE sources (
  repository  TEXT PRIMARY KEY,
  host        TEXT NOT NULL,
  due         INTEGER NOT NULL,
  why         TEXT NOT NULL,
  settings    TEXT NOT NULL,
  state       TEXT NOT NULL,
  class       TEXT NOT NULL,
  failures    INTEGER NOT NULL,
  began       INTEGER NOT NULL,
  complete    INTEGER NOT NULL,
  objects     INTEGER NOT NULL,
  deleted     INTEGER NOT NULL,
  quarantined INTEGER NOT NULL,
  reason      TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sources_by_due ON sources (due, host);
CREATE INDEX sources_by_host ON sources (host, due);
