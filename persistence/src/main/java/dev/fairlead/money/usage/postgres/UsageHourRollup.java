package dev.fairlead.money.usage.postgres;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.money.usage.HourSums;
import dev.fairlead.money.usage.Spill;
import dev.fairlead.money.usage.UsageOwner;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Writes the rows of an hour, and the rows derived from them. */
final class UsageHourRollup {
  private static final SqlFile FORGET_USE = SqlFile.named("usage/forget-usage-hour");
  private static final SqlFile FORGET_FLEET = SqlFile.named("usage/forget-fleet-hour");
  private static final SqlFile FORGET_LABELS = SqlFile.named("usage/forget-label-hour");
  private static final SqlFile FORGET_SPILL = SqlFile.named("usage/forget-spill-hour");
  private static final SqlFile FORGET_RESERVED = SqlFile.named("usage/forget-reserved-hour");
  private static final SqlFile WRITE_USE = SqlFile.named("usage/write-usage-hour");
  private static final SqlFile WRITE_FLEET = SqlFile.named("usage/write-fleet-hour");
  private static final SqlFile WRITE_LABELS = SqlFile.named("usage/write-label-hour");
  private static final SqlFile WRITE_SPILL = SqlFile.named("usage/write-spill-hour");
  private static final SqlFile WRITE_RESERVED = SqlFile.named("usage/write-reserved-hour");

  private UsageHourRollup() {}

  /** Replaces the hour, and returns its number of rows. */
  static int write(JdbcClient jdbc, HourSums sums) {
    long hour = sums.hourMillis();
    return replaced(jdbc, hour, FORGET_USE, WRITE_USE, used(sums))
        + replaced(jdbc, hour, FORGET_LABELS, WRITE_LABELS, labelled(sums))
        + replaced(jdbc, hour, FORGET_FLEET, WRITE_FLEET, fleet(sums))
        + replaced(jdbc, hour, FORGET_SPILL, WRITE_SPILL, spill(sums))
        + replaced(jdbc, hour, FORGET_RESERVED, WRITE_RESERVED, reserved(sums));
  }

  private static int replaced(
      JdbcClient jdbc, long hour, SqlFile forget, SqlFile write, RowBatch rows) {
    jdbc.sql(forget.text()).param("hour", hour).update();
    return jdbc.sql(write.text()).param("hour", hour).param("rows", rows.json()).update();
  }

  private static RowBatch used(HourSums sums) {
    RowBatch rows = new RowBatch();
    sums.used()
        .forEach((owner, amount) ->
            owned(rows, owner, amount)
                .set("cluster", value(owner.cluster()))
                .set("service", owner.service()));
    return rows;
  }

  private static RowBatch labelled(HourSums sums) {
    RowBatch rows = new RowBatch();
    sums.labelled()
        .forEach((owner, amount) -> owned(rows, owner, amount).set("labels", owner.labels()));
    return rows;
  }

  private static RowBatch owned(RowBatch rows, UsageOwner owner, long amount) {
    return rows.row()
        .set("tenant", owner.tenant().value())
        .set("project", owner.project().value())
        .set("queue", owner.queue().value())
        .set("used_by", owner.user())
        .set("pool", owner.pool())
        .set("model", owner.flavor().model())
        .set("capacity", owner.flavor().capacity())
        .set("milli_ms", amount);
  }

  private static RowBatch fleet(HourSums sums) {
    RowBatch rows = new RowBatch();
    sums.fleet()
        .forEach((part, buckets) ->
            buckets.forEach((bucket, amount) ->
                rows.row()
                    .set("cluster", part.cluster().value())
                    .set("pool", part.pool())
                    .set("owner", value(part.owner()))
                    .set("model", part.model())
                    .set("capacity", part.capacity())
                    .set("bucket", bucket)
                    .set("milli_ms", amount)));
    return rows;
  }

  private static RowBatch spill(HourSums sums) {
    RowBatch rows = new RowBatch();
    Spill.of(sums)
        .forEach((key, amount) ->
            rows.row()
                .set("tenant", key.tenant().value())
                .set("model", key.flavor().model())
                .set("capacity", key.flavor().capacity())
                .set("cause", key.cause())
                .set("milli_ms", amount));
    return rows;
  }

  private static RowBatch reserved(HourSums sums) {
    RowBatch rows = new RowBatch();
    Spill.reserved(sums)
        .forEach((key, amount) ->
            rows.row()
                .set("tenant", value(key.owner()))
                .set("model", key.model())
                .set("bucket", key.bucket())
                .set("milli_ms", amount));
    return rows;
  }

  private static @Nullable UUID value(@Nullable Id id) {
    return id == null ? null : id.value();
  }
}
