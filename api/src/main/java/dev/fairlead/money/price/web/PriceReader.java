package dev.fairlead.money.price.web;

import dev.fairlead.kernel.body.Amounts;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Commitment;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.service.PriceDraft;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads prices as people write them. */
final class PriceReader {
  private static final int LONGEST_ID = 40;
  private static final int MOST_GPUS = 1_000_000;
  private static final List<String> OF_GPUS =
      List.of("pricePerGpuHour", "pool", "model", "capacityType", "commitment");

  private PriceReader() {}

  /** The draft; only to be used when no problem was noted. */
  static PriceDraft read(Fields price) {
    return price.get("pricePerGibMonth").isPresent() ? ofStorage(price) : ofGpus(price);
  }

  /** A price of storage has no other scope than cluster and class, and is no commitment. */
  private static PriceDraft ofStorage(Fields price) {
    for (String field : OF_GPUS) {
      price
          .get(field)
          .ifPresent(value ->
              value.bad(
                  "is of prices of GPUs, and pricePerGibMonth of storage: leave one out", null));
    }
    Optional<String> storageClass = price.get("storageClass").flatMap(Names::subdomain);
    Optional<Long> micros = price.get("pricePerGibMonth").flatMap(Amounts::micros);
    return draft(
        price,
        new Priced(
            null, null, null, new PriceScope.Storage(storageClass.orElse(null)), micros, null));
  }

  private static PriceDraft ofGpus(Fields price) {
    price
        .get("storageClass")
        .ifPresent(
            value -> value.bad("is of prices of storage: give it with pricePerGibMonth", null));
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
    Commitment commitment = committed == null ? null : commitment(price, committed, type);
    return draft(
        price,
        new Priced(
            pool.orElse(null),
            model.orElse(null),
            commitment == null ? type.orElse(null) : CapacityType.RESERVED,
            null,
            micros,
            commitment));
  }

  /** What prices of GPUs and of storage do not share. */
  private record Priced(
      @Nullable String pool,
      @Nullable String model,
      @Nullable CapacityType type,
      PriceScope.@Nullable Storage storage,
      Optional<Long> micros,
      @Nullable Commitment commitment) {}

  private static PriceDraft draft(Fields price, Priced priced) {
    Optional<String> cluster = price.get("cluster").flatMap(v -> v.text(Names.LONGEST_LABEL));
    Optional<String> currency =
        price
            .required("currency", "three letters of ISO 4217, for example EUR.")
            .flatMap(Amounts::currency);
    Optional<Instant> from = price.get("from").flatMap(PriceReader::time);
    Optional<Instant> to = price.get("to").flatMap(PriceReader::time);
    Optional<PriceId> replaces = price.get("replaces").flatMap(PriceReader::id);
    price.done();
    return new PriceDraft(
        cluster.orElse(null),
        priced.pool(),
        priced.model(),
        priced.type(),
        priced.storage(),
        new Money(priced.micros().orElse(0L), currency.orElse("")),
        from.orElse(null),
        to.orElse(null),
        replaces.orElse(null),
        priced.commitment());
  }

  private static Optional<Long> perGpuHour(Fields price) {
    return price
        .required(
            "pricePerGpuHour",
            "the price of one GPU for an hour, for example 2.49; of storage, give"
                + " pricePerGibMonth.")
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
