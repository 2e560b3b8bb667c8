package dev.fairlead.people.tenant.memory;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.NamespaceRemoval;
import dev.fairlead.people.tenant.NamespaceRemovalStore;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** In-memory implementation of {@link NamespaceRemovalStore}. */
public final class MemoryNamespaceRemovalStore implements NamespaceRemovalStore {
  private final MemoryDatabase database;
  private final Supplier<Instant> clock;
  private final Supplier<List<ClusterId>> clusters;
  private final TenantStore tenants;
  private final Predicate<NamespaceRemoval> occupied;
  private final MemoryTable<Key, Row> rows;

  /**
   * @param occupied whether an attempt of the project is left on the cluster
   */
  public MemoryNamespaceRemovalStore(
      MemoryDatabase database,
      Supplier<Instant> clock,
      Supplier<List<ClusterId>> clusters,
      TenantStore tenants,
      Predicate<NamespaceRemoval> occupied) {
    this.database = database;
    this.clock = clock;
    this.clusters = clusters;
    this.tenants = tenants;
    this.occupied = occupied;
    this.rows = database.table();
  }

  private record Key(ClusterId cluster, String namespace, ProjectId project)
      implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparing(Key::cluster)
            .thenComparing(Key::namespace)
            .thenComparing(Key::project);

    static Key of(NamespaceRemoval removal) {
      return new Key(removal.cluster(), removal.namespace(), removal.project());
    }

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  private record Row(NamespaceRemoval removal, Instant nextAt) {}

  @Override
  public void want(TenantId tenant) {
    database.run(() -> tenants.projects(tenant).stream().filter(this::alone).forEach(this::want));
  }

  private boolean alone(Project project) {
    return tenants.tenants().stream()
        .filter(tenant -> !tenant.id().equals(project.tenant()))
        .flatMap(tenant -> tenants.projects(tenant.id()).stream())
        .noneMatch(other -> other.namespace().equals(project.namespace()));
  }

  @Override
  public void want(Project project) {
    database.run(() ->
        clusters
            .get()
            .forEach(cluster -> {
              NamespaceRemoval wanted =
                  new NamespaceRemoval(
                      cluster,
                      project.namespace(),
                      project.tenant(),
                      project.id(),
                      clock.get(),
                      0,
                      null);
              if (rows.find(Key.of(wanted)).isEmpty()) {
                rows.put(Key.of(wanted), new Row(wanted, clock.get()));
              }
            }));
  }

  @Override
  public List<NamespaceRemoval> due(ClusterId cluster, int most) {
    return database.call(() ->
        rows.all().stream()
            .filter(row -> row.removal().cluster().equals(cluster))
            .filter(row -> !row.nextAt().isAfter(clock.get()))
            .filter(row -> !occupied.test(row.removal()) && !needed(row.removal()))
            .sorted(
                Comparator.comparing(Row::nextAt).thenComparing(row -> row.removal().namespace()))
            .map(Row::removal)
            .limit(most)
            .toList());
  }

  private boolean needed(NamespaceRemoval removal) {
    return tenants.tenants().stream()
        .filter(tenant -> tenant.state() != Tenant.State.ARCHIVED)
        .flatMap(tenant -> tenants.projects(tenant.id()).stream())
        .anyMatch(project -> project.namespace().equals(removal.namespace()));
  }

  @Override
  public void later(NamespaceRemoval removal, String why, Duration pause) {
    database.run(() ->
        rows.find(Key.of(removal))
            .map(Row::removal)
            .ifPresent(old ->
                rows.put(
                    Key.of(old),
                    new Row(
                        new NamespaceRemoval(
                            old.cluster(),
                            old.namespace(),
                            old.tenant(),
                            old.project(),
                            old.since(),
                            old.tries() + 1,
                            why),
                        clock.get().plus(pause)))));
  }

  @Override
  public void done(NamespaceRemoval removal) {
    database.run(() -> rows.remove(Key.of(removal)));
  }

  @Override
  public List<NamespaceRemoval> left(int tries, int most) {
    return database.call(() ->
        rows.all().stream()
            .map(Row::removal)
            .filter(removal -> removal.tries() > 0 && removal.tries() >= tries)
            .sorted(
                Comparator.comparing(NamespaceRemoval::since)
                    .thenComparing(NamespaceRemoval::cluster)
                    .thenComparing(NamespaceRemoval::namespace))
            .limit(most)
            .toList());
  }
}
