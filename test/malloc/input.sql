-- SPDX-FileCopyrightText: 2026 The Arenite authors
-- SPDX-License-Identifier: MIT
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000)
insert into t select i, printf('%x-%d', i * 7919 % 65521, i), i * 0.5 from n;
create index tb on t(b);
delete from t where a % 3 = 0;
select count(*), sum(c), max(b) from t;
select substr(b, 1, 1) k, count(*), group_concat(a % 7, '') from t where a < 2000 group by k order by k;
vacuum;
select count(*) from t x join t y on x.a = y.a + 1;
