package dev.fairlead.audit;

import dev.fairlead.tenant.Actor;
import java.util.SortedMap;

/** One mutating operation, allowed or refused. */
public record AuditRecord(
    Actor actor,
    String operation,
    String subject,
    boolean allowed,
    SortedMap<String, Object> detail) {}
