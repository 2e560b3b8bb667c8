package dev.fairlead.kernel.config.postgres;

import dev.fairlead.people.audit.ConfigKind;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.data.repository.Repository;

/** Rows of {@code config_document}. */
interface ConfigDocumentRepository
    extends Repository<ConfigDocumentEntity, ConfigDocumentEntity.Key> {
  Optional<ConfigDocumentEntity> findById(ConfigDocumentEntity.Key id);

  List<ConfigDocumentEntity> findByIdKindOrderByIdName(ConfigKind kind);

  int countByIdKind(ConfigKind kind);

  List<ConfigDocumentEntity> findByIdKindAndTenantOrderByIdName(ConfigKind kind, UUID tenant);

  ConfigDocumentEntity saveAndFlush(ConfigDocumentEntity row);

  void delete(ConfigDocumentEntity row);

  void flush();
}
