package dev.fairlead.volume.memory;

import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.memory.MemoryDatabase;
import dev.fairlead.transaction.memory.MemoryTable;
import dev.fairlead.volume.Volume;
import dev.fairlead.volume.VolumeStore;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Twin of {@link VolumeStore}. */
public final class MemoryVolumeStore implements VolumeStore {
  private final MemoryDatabase database;
  private final MemoryTable<UUID, Volume> rows;

  public MemoryVolumeStore(MemoryDatabase database) {
    this.database = database;
    this.rows = database.table();
  }

  @Override
  public List<Volume> all(TenantId tenant, ProjectId project) {
    return database.call(() ->
        rows.all().stream()
            .filter(volume -> volume.tenant().equals(tenant) && volume.project().equals(project))
            .sorted(Comparator.comparing(Volume::name))
            .toList());
  }

  @Override
  public Optional<Volume> find(TenantId tenant, ProjectId project, String name) {
    return all(tenant, project).stream().filter(each -> each.name().equals(name)).findFirst();
  }

  @Override
  public void insert(Volume volume) {
    database.run(() -> {
      if (find(volume.tenant(), volume.project(), volume.name()).isPresent()) {
        throw new Conflict(Conflict.Guard.NAME_TAKEN, volume.name());
      }
      rows.put(volume.id(), volume);
    });
  }

  @Override
  public void update(Volume volume) {
    database.run(() -> {
      stored(volume, volume.version() - 1);
      rows.put(volume.id(), volume);
    });
  }

  @Override
  public void delete(Volume volume) {
    database.run(() -> {
      stored(volume, volume.version());
      rows.remove(volume.id());
    });
  }

  private void stored(Volume volume, long version) {
    boolean there =
        rows.find(volume.id())
            .filter(row -> row.version() == version && row.tenant().equals(volume.tenant()))
            .isPresent();
    if (!there) {
      throw new Conflict(Conflict.Guard.VERSION, volume.name());
    }
  }
}
