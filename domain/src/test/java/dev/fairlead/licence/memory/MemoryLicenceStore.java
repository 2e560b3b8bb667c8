package dev.fairlead.licence.memory;

import dev.fairlead.job.memory.MemoryJobStore;
import dev.fairlead.licence.Licence;
import dev.fairlead.licence.LicenceStore;
import dev.fairlead.licence.LicenceUse;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Conflict.Guard;
import dev.fairlead.transaction.memory.MemoryDatabase;
import dev.fairlead.transaction.memory.MemoryTable;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** Twin of {@link LicenceStore}. */
public final class MemoryLicenceStore implements LicenceStore {
  private final MemoryDatabase database;
  private final MemoryJobStore jobs;
  private final MemoryTable<String, Licence> licences;

  public MemoryLicenceStore(MemoryDatabase database, MemoryJobStore jobs) {
    this.database = database;
    this.jobs = jobs;
    this.licences = database.table();
  }

  @Override
  public List<Licence> licences() {
    return database.call(
        () -> licences.all().stream().sorted(Comparator.comparing(Licence::name)).toList());
  }

  @Override
  public List<LicenceUse> uses() {
    return database.call(() -> licences().stream().map(this::use).toList());
  }

  private LicenceUse use(Licence licence) {
    List<Integer> held =
        jobs.live().stream()
            .flatMap(attempt -> jobs.findAll(List.of(attempt.job())).stream())
            .map(job -> job.spec().licences().getOrDefault(licence.name(), 0))
            .filter(count -> count > 0)
            .toList();
    return new LicenceUse(licence, held.stream().mapToLong(count -> count).sum(), held.size());
  }

  @Override
  public boolean put(Licence licence) {
    return database.call(() -> {
      boolean same =
          licences
              .find(licence.name())
              .map(old -> Objects.equals(old.cluster(), licence.cluster()))
              .orElse(true);
      if (same) {
        licences.put(licence.name(), licence);
      }
      return same;
    });
  }

  @Override
  public boolean remove(String name) {
    return database.call(() -> {
      boolean there = licences.find(name).isPresent();
      if (uses().stream().anyMatch(use -> use.licence().name().equals(name) && use.held() > 0)) {
        throw new Conflict(Guard.REFERENCED, name);
      }
      licences.remove(name);
      return there;
    });
  }
}
