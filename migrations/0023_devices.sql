-- Where a session began: the network as limits count it, and the device in words. Null for sessions of before.
alter table sessions add column network text, add column device text;
