package dev.fairlead.people.tenant.postgres;

import dev.fairlead.kernel.postgres.NewRow;
import dev.fairlead.people.tenant.Tenant;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.util.UUID;

/** New row of {@code tenant}. */
@Entity
@Table(name = "tenant")
class TenantEntity implements NewRow<UUID> {
  @Id UUID id = new UUID(0, 0);
  String name = "";
  @Embedded Changeable changeable = new Changeable("", Tenant.State.ACTIVE);
  @Version long version = 1;

  @Embeddable
  record Changeable(
      @Column(name = "display_name") String displayName,
      @Enumerated(EnumType.STRING) Tenant.State state) {
    static Changeable of(Tenant tenant) {
      return new Changeable(tenant.displayName(), tenant.state());
    }
  }

  static TenantEntity of(Tenant tenant) {
    TenantEntity row = new TenantEntity();
    row.id = tenant.id().value();
    row.name = tenant.name();
    row.changeable = Changeable.of(tenant);
    row.version = tenant.version();
    return row;
  }

  @Override
  public UUID getId() {
    return id;
  }
}
