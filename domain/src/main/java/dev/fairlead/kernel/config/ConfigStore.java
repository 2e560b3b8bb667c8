package dev.fairlead.kernel.config;

import dev.fairlead.people.tenant.TenantId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

public interface ConfigStore {
  /** All documents of the type, of all tenants and of the platform, by name. */
  <T extends Record> List<ConfigDocument<T>> all(ConfigType<T> type);

  default <T extends Record> Map<String, ConfigDocument<T>> byName(ConfigType<T> type) {
    Map<String, ConfigDocument<T>> byName = new TreeMap<>();
    all(type).forEach(document -> byName.put(document.name(), document));
    return byName;
  }

  /** Number of all documents of the type: a reader notices appended documents by it. */
  int count(ConfigType<?> type);

  /** All documents of the type of that tenant and of its projects, by name. */
  <T extends Record> List<ConfigDocument<T>> all(ConfigType<T> type, TenantId tenant);

  /**
   * @param tenant owner, null for the platform
   * @return empty also for a document of another owner
   */
  <T extends Record> Optional<ConfigDocument<T>> find(
      ConfigType<T> type, @Nullable TenantId tenant, String name);

  /**
   * Inserts a document of version 0, and replaces the value of any other. A value that equals the
   * stored one leaves the version unchanged.
   *
   * @return the document in its stored version
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless the stored version is the
   *     document's
   */
  <T extends Record> ConfigDocument<T> put(ConfigDocument<T> document);

  /**
   * Deletes the document.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless the stored version is the
   *     document's, REFERENCED while a row of another table refers to it
   */
  void remove(ConfigDocument<?> document);
}
