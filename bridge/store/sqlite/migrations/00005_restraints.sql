-- What hosts have asked for, of every repository there. value is JSON of
-- oaipmh.Restraint.
CREATE TABLE restraints (
  host  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
