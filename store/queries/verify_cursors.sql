SELECT run_id, epoch, coalesce(epoch_event, 0), coalesce(start_event, 0), total, open, process, position, terminal, frontier,
    coalesce(advance_event, 0), coalesce(advance_epoch, 0), rows_since, failed_since, refused,
    observed, observed_total, coalesce(total_high, 0), coalesce(rise_event, 0), coalesce(full_event, 0),
    coalesce(hold_event, 0), coalesce(hold_for_ms, 0), coalesce(hold_end_event, 0), spent_ms, coalesce(budget_end_event, 0),
    coalesce(exit_event, 0), coalesce(exit_code, 0), coalesce(exit_signal, 0), coalesce(exit_reason, ''), coalesce(asked_by, ''),
    coalesce(cancel_event, 0), live, last_event, coalesce(last_ms, 0),
    coalesce(epoch_ms, 0), coalesce(start_ms, 0), coalesce(advance_ms, 0), coalesce(full_ms, 0),
    coalesce(hold_ms, 0), coalesce(hold_end_ms, 0), coalesce(hold_reason, ''), coalesce(budget_end_ms, 0), todo
FROM cursor
