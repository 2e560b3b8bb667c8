package dev.fairlead.money.usage.ledger;

import static dev.fairlead.money.usage.ledger.UseDimension.CAPACITY;
import static dev.fairlead.money.usage.ledger.UseDimension.CLUSTER;
import static dev.fairlead.money.usage.ledger.UseDimension.DETAIL;
import static dev.fairlead.money.usage.ledger.UseDimension.MODEL;
import static dev.fairlead.money.usage.ledger.UseDimension.OWNER;
import static dev.fairlead.money.usage.ledger.UseDimension.POOL;
import static dev.fairlead.money.usage.ledger.UseDimension.PROJECT;
import static dev.fairlead.money.usage.ledger.UseDimension.QUEUE;
import static dev.fairlead.money.usage.ledger.UseDimension.SERVICE;
import static dev.fairlead.money.usage.ledger.UseDimension.TENANT;
import static dev.fairlead.money.usage.ledger.UseDimension.USER;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Kind of a fact: its dimensions, and the dimensions that remain in the sum of a day. Amounts are
 * thousandths of a GPU times milliseconds.
 */
@SuppressWarnings("ImmutableEnumChecker") // unmodifiable sets
public enum UseKind {
  /** Use by owner. */
  USE(
      "",
      EnumSet.of(TENANT, PROJECT, QUEUE, USER, CLUSTER, POOL, MODEL, CAPACITY, SERVICE),
      EnumSet.of(TENANT, PROJECT, QUEUE, USER, POOL, MODEL, CAPACITY)),
  /** The part of {@link #USE} with usage labels of its tenant. Has labels. */
  LABELLED(
      "",
      EnumSet.of(TENANT, PROJECT, QUEUE, USER, POOL, MODEL, CAPACITY),
      EnumSet.of(TENANT, PROJECT, QUEUE, USER, POOL, MODEL, CAPACITY)),
  /** Use of capacity that is paid by the hour, by cause of the spill. */
  SPILL(
      "cause",
      EnumSet.of(TENANT, MODEL, CAPACITY, DETAIL),
      EnumSet.of(TENANT, MODEL, CAPACITY, DETAIL)),
  /** Time of reserved GPUs by bucket. All tenants may use GPUs without a tenant. */
  RESERVED("bucket", EnumSet.of(TENANT, MODEL, DETAIL), EnumSet.noneOf(UseDimension.class)),
  /** Time of all GPUs by bucket. Has no tenant, and no tenant reads it. */
  FLEET(
      "bucket",
      EnumSet.of(CLUSTER, POOL, MODEL, CAPACITY, OWNER, DETAIL),
      EnumSet.noneOf(UseDimension.class)),
  /** Waits of jobs by reason: number of jobs times milliseconds. */
  WAIT("cause", EnumSet.of(TENANT, PROJECT, QUEUE, DETAIL), EnumSet.noneOf(UseDimension.class));

  private final String detail;
  private final Set<UseDimension> dimensions;
  private final Set<UseDimension> ofDays;

  UseKind(String detail, EnumSet<UseDimension> dimensions, EnumSet<UseDimension> ofDays) {
    this.detail = detail;
    this.dimensions = Collections.unmodifiableSet(dimensions);
    this.ofDays = Collections.unmodifiableSet(ofDays);
  }

  /** Kinds that are summed by the day. */
  public static List<UseKind> withDays() {
    return Arrays.stream(values()).filter(kind -> !kind.ofDays.isEmpty()).toList();
  }

  public Set<UseDimension> dimensions() {
    return dimensions;
  }

  /** Dimensions of the sum of a day, empty for a kind without days. */
  public Set<UseDimension> ofDays() {
    return ofDays;
  }

  /** Name of a dimension in differences of this kind. */
  String name(UseDimension dimension) {
    return switch (dimension) {
      case DETAIL -> detail;
      case USER -> "user";
      default -> dimension.column();
    };
  }
}
