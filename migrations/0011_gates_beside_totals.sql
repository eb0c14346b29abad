-- What the limiters of ratings remember of a post stands in the row of its totals. Whoever rates locks, reads and writes
-- that row anyway: one row less to write for each rating, and no statement of its own to read and to write it.
--
-- An object by the limiters' names, so that each finds its own again when another was chosen for a while.
--
-- The program before this one may still be running. Until it is replaced, it keeps on asking `limiter_states`, where each
-- post's limiter begins anew: for these seconds a post may get twice what its limiter allows.
alter table rating_totals add column gates jsonb not null default '{}';

update rating_totals t set gates = g.gates
from (
    select key, jsonb_object_agg(limiter, state) as gates
    from limiter_states where key ~ '^post:[0-9]+$' and state <> 'null' group by key
) as g
where t.blog_id = substr(g.key, 6)::bigint;

delete from limiter_states where key ~ '^post:[0-9]+$';
