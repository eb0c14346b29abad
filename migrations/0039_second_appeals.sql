-- An author who loses because somebody else appealed has not been heard yet: they appeal, too. What was decided and said
-- until then is kept beside it: an object with the decision, the appeal, and the report of the one who appealed.
alter table report_cases add column before jsonb;
