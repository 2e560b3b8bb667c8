package dev.fairlead.fleet.licence.memory;

import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.licence.LicenceStore;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.work.job.memory.MemoryJobStore;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** In-memory implementation of {@link LicenceStore}. */
public final class MemoryLicenceStore implements LicenceStore {
  private final MemoryDatabase database;
  private final MemoryJobStore jobs;
  private final ConfigStore documents;

  public MemoryLicenceStore(MemoryDatabase database, MemoryJobStore jobs, ConfigStore documents) {
    this.database = database;
    this.jobs = jobs;
    this.documents = documents;
  }

  @Override
  public List<Licence> licences() {
    return documents.all(Licence.DOCUMENTS).stream().map(ConfigDocument::value).toList();
  }

  @Override
  public SortedMap<String, Held> held() {
    return database.call(() -> {
      SortedMap<String, Held> held = new TreeMap<>();
      jobs.live().stream()
          .flatMap(attempt -> jobs.findAll(List.of(attempt.job())).stream())
          .forEach(job ->
              job.spec()
                  .licences()
                  .forEach((name, count) ->
                      held.merge(
                          name,
                          new Held(count, 1),
                          (a, b) -> new Held(a.count() + b.count(), a.attempts() + b.attempts()))));
      return held;
    });
  }

  /** Returns whether an attempt holds the licence of a document. */
  public boolean holds(ConfigDocument<?> document) {
    return document.value() instanceof Licence licence && held().containsKey(licence.name());
  }
}
