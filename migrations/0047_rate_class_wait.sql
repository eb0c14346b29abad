-- A choice of the limiter rate_class without a limit of its wait gets the default, 10 minutes. It would be ignored otherwise.
update gate_choices set params = jsonb_set(params, '{reconnect_penalty}', '600000')
where limiter = 'rate_class' and params -> 'reconnect_penalty' = 'null';
