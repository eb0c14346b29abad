-- All who have decided a case, the latest last: an appeal is for somebody else.
alter table report_cases add column deciders bigint[] not null default '{}';
update report_cases set deciders = array_remove(array[decided_by, final_by], null) where decided_at is not null;
