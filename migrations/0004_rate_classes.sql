-- Instances look for what others have written since the last time. Only of rate classes: the rows of the gates
-- change with every rating, and an index on their time would have to follow.
create index limiter_states_of_rate_classes on limiter_states (updated_at) where limiter = 'rate_class';
