package dev.fairlead.kernel.config.postgres;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigType;
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
import jakarta.persistence.PostLoad;
import jakarta.persistence.PostPersist;
import jakarta.persistence.Table;
import jakarta.persistence.Transient;
import jakarta.persistence.Version;
import java.io.Serializable;
import java.util.UUID;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.Persistable;

/** Row of {@code config_document}. Spring Data loads it, its body is changed, and it is saved. */
@Entity
@Table(name = "config_document")
class ConfigDocumentEntity implements Persistable<ConfigDocumentEntity.Key> {
  @EmbeddedId Key id = new Key(ConfigKind.LICENCE, "");

  @Column(updatable = false)
  @Nullable UUID tenant;

  @Column(updatable = false)
  @Nullable UUID project;

  @JdbcTypeCode(SqlTypes.JSON)
  String body = "{}";

  @Version long version = 1;

  /** Whether the table contains the row, so that Spring Data inserts only new rows. */
  @Transient private boolean stored;

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

  @PostLoad
  @PostPersist
  void stored() {
    stored = true;
  }

  @Override
  public Key getId() {
    return id;
  }

  @Override
  public boolean isNew() {
    return !stored;
  }
}
