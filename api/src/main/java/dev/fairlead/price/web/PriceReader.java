package dev.fairlead.price.web;

import dev.fairlead.body.Amounts;
import dev.fairlead.body.Fields;
import dev.fairlead.body.Names;
import dev.fairlead.body.Value;
import dev.fairlead.identity.IdKind;
import dev.fairlead.identity.IdText;
import dev.fairlead.price.Commitment;
import dev.fairlead.price.Money;
import dev.fairlead.price.PriceId;
import dev.fairlead.price.service.PriceDraft;
import dev.fairlead.resources.CapacityType;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Reads prices as people write them. */
final class PriceReader {
  private static final int LONGEST_ID = 40;
  private static final int MOST_GPUS = 1_000_000;

  private PriceReader() {}

  /** The draft; only to be used when no problem was noted. */
  static PriceDraft read(Fields price) {
    Optional<String> cluster = price.get("cluster").flatMap(v -> v.text(Names.LONGEST_LABEL));
    Optional<String> pool = price.get("pool").flatMap(v -> v.text(Names.LONGEST_LABEL));
    Optional<String> model = price.get("model").flatMap(Names::word);
    Optional<CapacityType> type =
        price.get("capacityType").flatMap(v -> v.choice(CapacityType.class));
    Fields committed = price.get("commitment").flatMap(Value::fields).orElse(null);
    Optional<Long> micros = committed == null ? perGpuHour(price) : Optional.of(0L);
    if (committed != null) {
      price
          .get("pricePerGpuHour")
          .ifPresent(value -> value.bad("follows from the commitment: give one of the two", null));
    }
    Optional<String> currency =
        price
            .required("currency", "three letters of ISO 4217, for example EUR.")
            .flatMap(Amounts::currency);
    Optional<Instant> from = price.get("from").flatMap(PriceReader::time);
    Optional<Instant> to = price.get("to").flatMap(PriceReader::time);
    Optional<PriceId> replaces = price.get("replaces").flatMap(PriceReader::id);
    Commitment commitment = committed == null ? null : commitment(price, committed, type);
    price.done();
    return new PriceDraft(
        cluster.orElse(null),
        pool.orElse(null),
        model.orElse(null),
        commitment == null ? type.orElse(null) : CapacityType.RESERVED,
        new Money(micros.orElse(0L), currency.orElse("")),
        from.orElse(null),
        to.orElse(null),
        replaces.orElse(null),
        commitment);
  }

  private static Optional<Long> perGpuHour(Fields price) {
    return price
        .required("pricePerGpuHour", "the price of one GPU for an hour, for example 2.49.")
        .flatMap(Amounts::micros);
  }

  private static Commitment commitment(
      Fields price, Fields committed, Optional<CapacityType> type) {
    if (type.isPresent() && type.get() != CapacityType.RESERVED) {
      price
          .get("capacityType")
          .ifPresent(value -> value.bad("must be RESERVED, or absent, of a commitment", null));
    }
    Optional<Value> to = price.required("to", "the end of the commitment.");
    Optional<Integer> gpus =
        committed
            .required("gpus", "the number of GPUs that are paid for.")
            .flatMap(v -> v.integer(1, MOST_GPUS));
    Optional<Long> micros =
        committed
            .required("amount", "what they cost in all until the end.")
            .flatMap(Amounts::manyMicros);
    committed.done();
    return new Commitment(to.flatMap(v -> gpus).orElse(1), micros.orElse(0L));
  }

  /** As exact as the database keeps it. */
  private static Optional<Instant> time(Value value) {
    return value.time().map(at -> at.truncatedTo(ChronoUnit.MICROS));
  }

  private static Optional<PriceId> id(Value value) {
    return value
        .text(LONGEST_ID)
        .flatMap(text ->
            IdText.decode(IdKind.PRICE, text)
                .map(PriceId::new)
                .or(() -> value.bad("must be the id of a price, such as pri_...", null)));
  }
}
