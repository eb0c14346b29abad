-- Links by which people may register where registration is by invitation.
create table invitations (
    id bigint generated always as identity primary key,
    made_by bigint not null references users,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    -- How many may register by it, and how many have.
    seats integer not null,
    taken integer not null default 0,
    constraint seats_in_range check (seats between 1 and 1000 and taken between 0 and seats)
);
create index invitations_new on invitations (id desc);

alter table users
    -- By which somebody came in; null for those who came without one.
    add column invitation_id bigint references invitations,
    -- Whether staff let them publish, where that is needed.
    add column is_approved boolean not null default false;
create index users_by_invitation on users (invitation_id) where invitation_id is not null;
