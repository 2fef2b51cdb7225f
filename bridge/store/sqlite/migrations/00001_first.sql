-- "fpst": a file that holds another program's tables is not touched.
PRAGMA application_id = 1718645620;

-- value is JSON of store.Repository; NULL until it is known.
CREATE TABLE repositories (
  id    INTEGER PRIMARY KEY,
  name  TEXT NOT NULL UNIQUE,
  value TEXT
) STRICT;

-- Metadata prefixes and setSpecs: rows name them by number.
CREATE TABLE words (
  id   INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;

-- The newest objects.modified ever given: it never goes back.
CREATE TABLE clock (
  modified INTEGER NOT NULL
) STRICT;
INSERT INTO clock VALUES (0);

-- An identifier, and the object made from its records. key is the first 64
-- bits of store.Hash of the identifier; whoever finds a row by it compares
-- identifiers. Columns from deleted on are NULL while no record could be
-- mapped. lastmod is in seconds, modified in microseconds since 1970.
CREATE TABLE objects (
  id         INTEGER PRIMARY KEY,
  repository INTEGER NOT NULL,
  key        INTEGER NOT NULL,
  identifier TEXT NOT NULL,
  deleted    INTEGER,
  lastmod    INTEGER,
  modified   INTEGER,
  page       INTEGER,           -- of the Signmap; 0 while it was never live
  weight     INTEGER,           -- on that page, in bytes
  prefixes   BLOB,              -- words, as uvarints
  sets       BLOB,              -- words, as uvarints
  value      TEXT               -- JSON of bridge.Object, shortened: value.go
) STRICT;
CREATE INDEX objects_by_key ON objects (repository, key);
CREATE INDEX objects_by_id ON objects (repository);
CREATE INDEX objects_by_modified ON objects (repository, modified);
CREATE INDEX objects_by_page ON objects (repository, page) WHERE deleted = 0;

-- The metadata of a record is length bytes at offset in its block; block is
-- NULL where there is none.
CREATE TABLE records (
  object    INTEGER NOT NULL,
  prefix    INTEGER NOT NULL,   -- a word
  deleted   INTEGER NOT NULL,
  block     INTEGER,
  offset    INTEGER,
  length    INTEGER,
  sets      BLOB NOT NULL,      -- words, as uvarints
  datestamp TEXT NOT NULL,
  hash      BLOB NOT NULL,
  PRIMARY KEY (object, prefix)
) STRICT, WITHOUT ROWID;

-- How much metadata a block was made of, and how much of it still belongs to
-- a record. Apart from its bytes, so that counting does not rewrite them.
CREATE TABLE blocks (
  id   INTEGER PRIMARY KEY,
  size INTEGER NOT NULL,
  live INTEGER NOT NULL
) STRICT;
CREATE TABLE block_bytes (
  id    INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL           -- zstd
) STRICT;

-- Every URL that finds an object. hash is the first 64 bits of store.Hash of
-- its normal form; rank is its role, more by 8 if the object is deleted: the
-- first row of a hash is the one that is wanted.
CREATE TABLE urls (
  hash   INTEGER NOT NULL,
  rank   INTEGER NOT NULL,
  object INTEGER NOT NULL,
  PRIMARY KEY (hash, rank, object)
) STRICT, WITHOUT ROWID;

-- Page 0 counts the objects that were never live.
CREATE TABLE signmap_pages (
  repository INTEGER NOT NULL,
  page       INTEGER NOT NULL,
  objects    INTEGER NOT NULL,  -- live
  deleted    INTEGER NOT NULL,
  weight     INTEGER NOT NULL,  -- of the live ones
  modified   INTEGER NOT NULL,
  lastmod    INTEGER,
  PRIMARY KEY (repository, page)
) STRICT, WITHOUT ROWID;

-- value is JSON of store.Checkpoint.
CREATE TABLE checkpoints (
  repository INTEGER NOT NULL REFERENCES repositories,
  prefix     TEXT NOT NULL,
  "set"      TEXT NOT NULL,
  value      TEXT NOT NULL,
  PRIMARY KEY (repository, prefix, "set")
) STRICT, WITHOUT ROWID;

-- value is JSON of store.Run.
CREATE TABLE runs (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  repository INTEGER NOT NULL REFERENCES repositories,
  value      TEXT NOT NULL
) STRICT;
CREATE INDEX runs_by_repository ON runs (repository);

-- kept is 1 where the record is kept and only its mapping failed. digest
-- tells nameless entries apart; it is empty where there is an identifier.
CREATE TABLE quarantine (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  repository INTEGER NOT NULL REFERENCES repositories,
  identifier TEXT NOT NULL,
  prefix     TEXT NOT NULL,
  digest     BLOB NOT NULL,
  kept       INTEGER NOT NULL,
  reason     TEXT NOT NULL,
  page       TEXT NOT NULL,
  bytes      BLOB,
  at         INTEGER NOT NULL,  -- microseconds since 1970
  UNIQUE (repository, identifier, prefix, digest)
) STRICT;
CREATE INDEX quarantine_by_id ON quarantine (repository);
