package dev.fairlead.e2e;

import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.Validity;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Statements that store prices which began in the past. The API refuses such prices. */
final class PastPrices {
  private PastPrices() {}

  /**
   * @param from RFC 3339
   * @param to end in RFC 3339, null if none
   */
  static String insert(PriceScope scope, long micros, String from, @Nullable String to) {
    Instant begin = Instant.parse(from);
    Price price =
        new Price(
            new PriceId(UUID.randomUUID()),
            scope,
            new Money(micros, "EUR"),
            new Validity(begin, to == null ? null : Instant.parse(to)),
            null,
            null,
            begin);
    return "INSERT INTO config_document (kind, name, version, body) VALUES ('PRICE', '%s', 1, '%s')"
        .formatted(price.id().text(), Json.write(price));
  }
}
