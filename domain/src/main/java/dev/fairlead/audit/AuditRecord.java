package dev.fairlead.audit;

import dev.fairlead.tenant.Actor;
import java.util.SortedMap;

/**
 * One mutating operation, or several alike that one request did, or denials of one caller in one
 * second.
 *
 * @param subject id or name of what it was about
 * @param count how many, from 1
 */
public record AuditRecord(
    Actor actor,
    String operation,
    String subject,
    boolean allowed,
    SortedMap<String, Object> detail,
    int count) {
  /** A single one. */
  public AuditRecord(
      Actor actor,
      String operation,
      String subject,
      boolean allowed,
      SortedMap<String, Object> detail) {
    this(actor, operation, subject, allowed, detail, 1);
  }
}
