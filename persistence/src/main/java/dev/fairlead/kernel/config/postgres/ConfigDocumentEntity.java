package dev.fairlead.kernel.config.postgres;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.postgres.ConfigRow;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Table;
import java.io.Serializable;
import java.util.UUID;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/** Row of {@code config_document}. */
@Entity
@Table(name = "config_document")
class ConfigDocumentEntity extends ConfigRow<ConfigDocumentEntity.Key> {
  @EmbeddedId Key id = new Key(ConfigKind.LICENCE, "");

  @Column(updatable = false)
  @Nullable UUID tenant;

  @Column(updatable = false)
  @Nullable UUID project;

  @JdbcTypeCode(SqlTypes.JSON)
  String body = "{}";

  /** Names are unique within a kind. */
  @Embeddable
  record Key(@Enumerated(EnumType.STRING) ConfigKind kind, String name) implements Serializable {}

  static ConfigDocumentEntity of(ConfigDocument<?> document) {
    ConfigDocumentEntity row = new ConfigDocumentEntity();
    TenantId tenant = document.tenant();
    ProjectId project = document.project();
    row.id = key(document.type(), document.name());
    row.tenant = tenant == null ? null : tenant.value();
    row.project = project == null ? null : project.value();
    row.body = Json.write(document.value());
    return row;
  }

  /** A value that equals the stored one leaves the version. */
  void set(ConfigDocument<?> document) {
    if (!document(document.type()).value().equals(document.value())) {
      body = Json.write(document.value());
    }
  }

  static Key key(ConfigType<?> type, String name) {
    return new Key(type.kind(), name);
  }

  <T extends Record> ConfigDocument<T> document(ConfigType<T> type) {
    return new ConfigDocument<>(
        type,
        id.name(),
        tenant == null ? null : new TenantId(tenant),
        project == null ? null : new ProjectId(project),
        Json.read(body, type.type()),
        version);
  }

  @Override
  public Key getId() {
    return id;
  }
}
