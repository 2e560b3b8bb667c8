package dev.fairlead.people.audit.memory;

import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.audit.AuditEntry;
import dev.fairlead.people.audit.AuditFilter;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditPosition;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigVersion;
import dev.fairlead.people.tenant.Origin;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link AuditLog} that can be read. */
public final class MemoryAuditLog implements AuditLog {
  private final MemoryDatabase database;
  private final MemoryTable<Integer, AuditRecord> entries;

  public MemoryAuditLog(MemoryDatabase database) {
    this.database = database;
    this.entries = database.table();
  }

  @Override
  public void append(List<AuditRecord> added) {
    database.run(() -> added.forEach(entry -> entries.put(entries.map().size(), entry)));
  }

  /** Rows are a second apart, from 1970 on. */
  @Override
  public List<AuditEntry> newest(
      TenantId tenant, AuditFilter filter, AuditPosition before, int limit) {
    return database.call(() ->
        entries.map().descendingMap().entrySet().stream()
            .filter(row -> row.getValue().actor().tenant().equals(tenant))
            .map(row -> entry(row.getKey(), row.getValue()))
            .filter(entry -> entry.position().compareTo(before) < 0)
            .filter(entry -> fits(filter, entry))
            .limit(limit)
            .toList());
  }

  @Override
  public List<ConfigVersion> versions(
      TenantId tenant, Set<ConfigKind> kinds, @Nullable String name, long before, int limit) {
    return database.call(() ->
        entries.map().descendingMap().entrySet().stream()
            .filter(row -> row.getValue().actor().tenant().equals(tenant) && row.getKey() < before)
            .flatMap(row -> version(row.getKey(), row.getValue()).stream())
            .filter(version -> kinds.contains(version.change().kind()))
            .filter(version -> name == null || version.change().name().equals(name))
            .limit(limit)
            .toList());
  }

  private static Optional<ConfigVersion> version(int seq, AuditRecord row) {
    return Optional.ofNullable(row.config())
        .map(change ->
            new ConfigVersion(
                seq,
                Instant.EPOCH.plusSeconds(seq),
                row.actor().name(),
                row.operation(),
                row.actor().cause(),
                change));
  }

  private static AuditEntry entry(int seq, AuditRecord row) {
    Origin origin = row.actor().origin();
    return new AuditEntry(
        Instant.EPOCH.plusSeconds(seq),
        seq,
        row.actor().name(),
        row.operation(),
        row.subject(),
        row.allowed(),
        row.count(),
        origin == null ? null : origin.requestId(),
        origin == null ? null : origin.address(),
        row.detail());
  }

  private static boolean fits(AuditFilter filter, AuditEntry entry) {
    return (filter.actor() == null || filter.actor().equals(entry.actor()))
        && (filter.operation() == null || filter.operation().equals(entry.operation()))
        && (filter.subject() == null || isAbout(entry, filter.subject()))
        && (filter.allowed() == null || filter.allowed() == entry.allowed())
        && (filter.since() == null || !entry.at().isBefore(filter.since()))
        && (filter.until() == null || entry.at().isBefore(filter.until()));
  }

  /** Of a batch it is about each of its jobs. */
  private static boolean isAbout(AuditEntry entry, String subject) {
    return subject.equals(entry.subject())
        || entry.detail().get("jobs") instanceof List<?> jobs && jobs.contains(subject);
  }

  /** Oldest first. */
  public List<AuditRecord> entries() {
    return database.call(() -> List.copyOf(entries.all()));
  }
}
