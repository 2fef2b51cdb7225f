-- What servers answered about URLs of objects. hash is the first 64 bits of
-- store.Hash of url: of two with the same, the one asked about last is kept.
-- at is in seconds since 1970; answered is '' where it is url itself.
CREATE TABLE probes (
  repository INTEGER NOT NULL,
  hash       INTEGER NOT NULL,
  url        TEXT NOT NULL,
  object     INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  status     INTEGER NOT NULL,
  media_type TEXT NOT NULL,
  answered   TEXT NOT NULL,
  PRIMARY KEY (repository, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX probes_by_time ON probes (repository, at);
