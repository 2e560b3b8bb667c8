package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.Validity;
import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseFacts;
import dev.fairlead.money.usage.ledger.UseKey;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.ledger.memory.MemoryUseLedger;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.work.serving.cost.ServiceCost;
import dev.fairlead.work.serving.key.GateBatch;
import dev.fairlead.work.serving.key.KeyHour;
import dev.fairlead.work.serving.key.KeyUse;
import dev.fairlead.work.serving.key.ServiceKey;
import dev.fairlead.work.serving.key.ServiceKeyStore;
import dev.fairlead.work.serving.key.ServiceKeyText;
import dev.fairlead.work.serving.key.UseSpan;
import dev.fairlead.work.serving.key.UseSpan.Period;
import dev.fairlead.work.serving.service.GateBooks;
import dev.fairlead.work.serving.service.ModelServices;
import dev.fairlead.work.serving.service.ServiceKeyView;
import dev.fairlead.work.serving.service.ServiceKeys;
import dev.fairlead.work.serving.service.ServiceUseView;
import dev.fairlead.work.serving.service.ServiceUses;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Keys of a model service, from their creation to the report of their use. */
class ServiceKeysTest extends ServiceScene {
  private final ServiceKeys keys =
      new ServiceKeys(
          services, stores.serviceKeys(), stores.transactions(), stores.audit(), stores.clock());
  private final GateBooks books = new GateBooks(stores.serviceKeys(), stores.transactions());
  private final UseLedger ledger = new MemoryUseLedger(stores.database(), () -> 0, () -> 0);
  private final ServiceUses uses =
      new ServiceUses(
          services, stores.serviceKeys(), ledger, stores.prices(), stores.transactions());

  @BeforeEach
  void aService() {
    apply(server("v1"), 1, 2);
  }

  private ServiceKeys.Made create(String name) {
    return keys.create(fairlead.ana(), CHAT, wanted(name), false);
  }

  private static ServiceKeys.NewKey wanted(String name) {
    return new ServiceKeys.NewKey(name, Duration.ofDays(1), 60, null);
  }

  private GateBooks.Shared exchange(long number, KeyHour... hours) {
    return books.exchange(
        new GateBatch(
            new UUID(2, 1), number, List.of(hours), List.of(), new TreeMap<>(), List.of()),
        0);
  }

  private static void refused(ThrowingCallable call, ProblemCode code) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo(code));
  }

  /** Fails when the text of a key is stored, or a gate cannot recognise it. */
  @Test
  void aGateKnowsTheHashOfANewKeyUntilItIsRevoked() {
    String text = create("app").text().reveal();
    assertThat(exchange(1).keys().keys())
        .singleElement()
        .satisfies(key -> {
          assertThat(key.hash()).isEqualTo(ServiceKeyText.hash(text));
          assertThat(key.requestsPerMinute()).isEqualTo(60);
        });
    keys.revoke(fairlead.ana(), CHAT, "app", false);
    keys.revoke(fairlead.ana(), CHAT, "app", false);
    assertThat(exchange(2).keys().keys()).isEmpty();
    assertThat(keys.all(fairlead.ana(), CHAT))
        .extracting(ServiceKeyView::state)
        .containsExactly(ServiceKeyView.State.REVOKED);
    assertThat(stores.audit().entries())
        .extracting(AuditRecord::operation)
        .containsOnlyOnce("createServiceKey", "revokeServiceKey");
    assertThat(stores.audit().entries().toString()).doesNotContain(text, ServiceKeyText.hash(text));
  }

  @Test
  void expiredKeyIsListedAndRejected() {
    ServiceKeys.Made _ = create("app");
    stores.clock().set(stores.clock().instant().plus(Duration.ofDays(1)));
    assertThat(exchange(1).keys().keys()).isEmpty();
    assertThat(keys.all(fairlead.ana(), CHAT))
        .extracting(ServiceKeyView::state)
        .containsExactly(ServiceKeyView.State.EXPIRED);
  }

  @Test
  void aDryRunCreatesNothing() {
    assertThat(keys.create(fairlead.ana(), CHAT, wanted("app"), true).text()).isNull();
    assertThat(keys.all(fairlead.ana(), CHAT)).isEmpty();
  }

  @Test
  void namesThatDoNotExistOrAreTakenAreRefused() {
    ServiceKeys.Made _ = create("app");
    keys.revoke(fairlead.ana(), CHAT, "app", false);
    refused(() -> create("app"), ProblemCode.NAME_IN_USE);
    refused(() -> keys.revoke(fairlead.ana(), CHAT, "other", false), ProblemCode.NOT_FOUND);
    ModelServices.Name other = new ModelServices.Name("project", "other");
    refused(() -> keys.all(fairlead.ana(), other), ProblemCode.NOT_FOUND);
    refused(() -> keys.create(fairlead.ana(), other, wanted("app"), false), ProblemCode.NOT_FOUND);
  }

  /** Fails when a client that creates and revokes keys in a loop fills the database. */
  @Test
  void revokedKeysCountUntilTheirUsageIsDeleted() {
    for (int i = 0; i < ServiceKey.MOST_KEPT; i++) {
      ServiceKeys.Made _ = create("key-" + i);
      keys.revoke(fairlead.ana(), CHAT, "key-" + i, false);
    }
    refused(() -> create("last"), ProblemCode.LIMIT_EXCEEDED);
    stores.clock().set(stores.clock().instant().plus(Duration.ofDays(401)));
    assertThat(create("last").text()).isNotNull();
    assertThat(keys.all(fairlead.ana(), CHAT)).hasSize(1);
  }

  @Test
  void aServiceHasALimitedNumberOfValidKeys() {
    for (int i = 0; i < ServiceKey.MOST; i++) {
      ServiceKeys.Made _ = create("key-" + i);
    }
    refused(() -> create("last"), ProblemCode.LIMIT_EXCEEDED);
    keys.revoke(fairlead.ana(), CHAT, "key-0", false);
    assertThat(create("last").text()).isNotNull();
  }

  @Test
  void usageIsReportedByPeriodAndKey() {
    Instant day = twoKeys();
    assertThat(usage(Period.HOUR, day, null)).hasSize(3);
    assertThat(usage(Period.DAY, day.plusSeconds(7200), null))
        .extracting(each -> each.key() + each.requests() + " " + each.promptTokens())
        .containsExactly("app7 14", "eval5 7");
    ServiceKeyStore.Position app = new ServiceKeyStore.Position(day, "app");
    assertThat(usage(Period.DAY, day, app)).extracting(ServiceUseView::key).containsExactly("eval");
    refused(
        () ->
            uses.page(
                fairlead.ana(),
                CHAT,
                new UseSpan(Period.DAY, day, day.plus(Duration.ofDays(401))),
                null,
                10),
        ProblemCode.LIMIT_EXCEEDED);
  }

  /** Fails when the keys of one page divide the whole cost among themselves. */
  @Test
  void theCostOfTheReplicasIsDividedByTokens() {
    Instant day = twoKeys();
    assertThat(usage(Period.DAY, day, null))
        .extracting(ServiceUseView::costUnknown)
        .containsOnly(ServiceCost.Unknown.NO_GPU_TIME);
    Flavor flavor = new Flavor("H100", CapacityType.RESERVED);
    ClusterId cluster = new ClusterId(new UUID(7, 1));
    UseKey held =
        UseKey.of(UseKind.USE)
            .with(UseDimension.TENANT, fairlead.ana().tenant())
            .with(UseDimension.SERVICE, state().id().bare())
            .with(UseDimension.CLUSTER, cluster)
            .with(UseDimension.POOL, "")
            .with(flavor);
    ledger.write(new UseFacts(day.toEpochMilli(), new TreeMap<>(Map.of(held, 3 * 3_600_000_000L))));
    assertThat(usage(Period.DAY, day, null))
        .extracting(ServiceUseView::costUnknown)
        .containsOnly(ServiceCost.Unknown.NO_PRICE);
    Price price =
        new Price(
            new PriceId(new UUID(1, 1)),
            new PriceScope(null, null, "H100", null),
            new Money(8_000_000, "EUR"),
            new Validity(day, null),
            null,
            null,
            day);
    ConfigDocument<Price> _ = stores.configs().put(price.document());
    ServiceKeyStore.Position app = new ServiceKeyStore.Position(day, "app");
    assertThat(usage(Period.DAY, day, app))
        .singleElement()
        .satisfies(each -> {
          assertThat(each.cost()).isEqualByComparingTo("8");
          assertThat(each.costPerThousandTokens()).isEqualByComparingTo("1000");
          assertThat(each.currency()).isEqualTo("EUR");
          assertThat(each.costUnknown()).isNull();
        });
  }

  /** Creates two keys. App uses two thirds of the day's tokens. Returns the start of the day. */
  private Instant twoKeys() {
    ServiceKeys.Made _ = create("app");
    ServiceKeys.Made _ = create("eval");
    Instant day = stores.clock().instant().truncatedTo(ChronoUnit.DAYS);
    GateBooks.Shared _ =
        exchange(
            1, used("app", day, 3), used("app", day.plusSeconds(3600), 4), used("eval", day, 5));
    return day;
  }

  private KeyHour used(String name, Instant hour, long requests) {
    return new KeyHour(
        new ServiceKey.Name(state().id(), name), hour, new KeyUse(requests, 7, 1, 0));
  }

  private List<ServiceUseView> usage(Period period, Instant from, ServiceKeyStore.Position after) {
    UseSpan span = new UseSpan(period, from, from.plus(Duration.ofDays(1)));
    return uses.page(fairlead.ana(), CHAT, span, after, 10);
  }
}
