-- Id of the newest link that was mailed to the account; null if that link was used or ended. The id is random, so that loading
-- an older dump does not make used links valid again.
alter table users add column mail_link_id bigint;

-- A change of the address or of the password ends the mailed link, whichever statement makes the change. Rehashing the same
-- password leaves session_version as it is, and the link valid.
create function end_mail_link() returns trigger language plpgsql as $$
begin
    new.mail_link_id := null;
    return new;
end $$;
create trigger end_mail_link before update on users for each row
    when (
        old.mail_link_id is not null
        and (new.email is distinct from old.email or new.session_version is distinct from old.session_version)
    )
    execute function end_mail_link();
