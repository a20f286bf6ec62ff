SELECT substr(e.kind, 8), count(*), count(DISTINCT d.run_id)
FROM delivery AS d JOIN event AS e ON e.id = d.event_id
WHERE d.id = :id OR d.into_id = :id
GROUP BY e.kind ORDER BY e.kind
