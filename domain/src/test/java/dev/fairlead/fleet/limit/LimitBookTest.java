package dev.fairlead.fleet.limit;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.people.tenant.TenantId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LimitBookTest {
  private static final TenantId ACME = new TenantId(new UUID(0, 1));

  private static ConfigDocument<SetLimits> set(@Nullable String project, long requests) {
    SetLimits limits =
        new SetLimits(project, new TreeMap<>(Map.of(Limit.REQUESTS_PER_MINUTE, requests)));
    return SetLimits.none(ACME, null).with(limits);
  }

  private static LimitBook.Bound requests(LimitBook book, String project) {
    return book.ofProject(ACME, project, Limit.REQUESTS_PER_MINUTE);
  }

  /** Fails when a project's limit exceeds its tenant's. */
  @Test
  void projectHasTheSmallerOfItsLimitAndItsTenants() {
    LimitBook book = new LimitBook(List.of(set(null, 50), set("small", 20), set("large", 90)), 0);

    assertThat(requests(book, "small").value()).isEqualTo(20);
    assertThat(requests(book, "small").named())
        .satisfies(reason("limit-book.owner-tenant-can-raise"));
    assertThat(requests(book, "large").value()).isEqualTo(50);
    assertThat(requests(book, "large").named()).contains("operator of the platform");
  }

  /** Fails when the default of a tenant is above the bound that the API document names. */
  @Test
  void aDefaultIsWithinTheBoundsOfItsLimit() {
    LimitBook book = new LimitBook(List.of(), 50_000_000);

    assertThat(book.ofTenant(ACME.text(), Limit.REQUESTS_PER_MINUTE).value())
        .isEqualTo(Limit.REQUESTS_PER_MINUTE.most());
  }

  @Test
  void unsetLimitHasThePlatformDefault() {
    LimitBook book = new LimitBook(List.of(), 30);

    assertThat(requests(book, "any").value()).isEqualTo(30);
    assertThat(book.ofTenant(ACME.text(), Limit.REQUESTS_PER_MINUTE).value()).isEqualTo(240);
    assertThat(book.ofProject(ACME, "any", Limit.ACTIVE_JOBS).value()).isEqualTo(100_000);
    assertThat(book.ofTenant(ACME.text(), Limit.ACTIVE_JOBS).value()).isEqualTo(LimitBook.NONE);
    assertThat(new LimitBook(List.of(), 0).ofTenant("", Limit.REQUESTS_PER_MINUTE).value())
        .isEqualTo(LimitBook.NONE);
  }
}
