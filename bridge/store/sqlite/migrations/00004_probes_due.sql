-- Not when a URL was asked about, but when it is to be again, in seconds since
-- 1970: some answers are good for longer than others. Until now all were for
-- 90 days.
ALTER TABLE probes RENAME COLUMN at TO due;
UPDATE probes SET due = due + 90 * 86400;
