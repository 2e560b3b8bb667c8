package dev.fairlead.kernel.config.postgres;

import dev.fairlead.kernel.postgres.ConfigRows;
import dev.fairlead.people.audit.ConfigKind;
import java.util.List;
import java.util.UUID;

/** Rows of {@code config_document}. */
interface ConfigDocumentRepository
    extends ConfigRows<ConfigDocumentEntity, ConfigDocumentEntity.Key> {
  List<ConfigDocumentEntity> findByIdKindOrderByIdName(ConfigKind kind);

  int countByIdKind(ConfigKind kind);

  List<ConfigDocumentEntity> findByIdKindAndTenantOrderByIdName(ConfigKind kind, UUID tenant);
}
