package dev.fairlead.verify.simulation.fleet;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The causes that ended the Llama 3 405B training run on 16,384 GPUs unexpectedly, 419 times in 54
 * days, and the signs of each in a cluster.
 */
public enum FailureKind {
  FAULTY_GPU(148, Sign.XID, 79, 48, 74),
  HBM3_MEMORY(72, Sign.XID, 64, 95),
  SOFTWARE_BUG(54, Sign.EXIT),
  NETWORK(35, Sign.EXIT),
  HOST_MAINTENANCE(32, Sign.REBOOT),
  GPU_SRAM(19, Sign.XID, 48),
  GSP(17, Sign.XID, 119, 120),
  NIC(7, Sign.EXIT),
  NCCL_WATCHDOG(7, Sign.EXIT),
  SILENT_CORRUPTION(6, Sign.NONE),
  THERMAL(6, Sign.EXIT),
  SSD(3, Sign.EXIT),
  POWER(3, Sign.POWER_LOSS),
  CHASSIS(2, Sign.POWER_LOSS),
  IO_BOARD(2, Sign.POWER_LOSS),
  DEPENDENCY(2, Sign.EXIT),
  CPU(2, Sign.POWER_LOSS),
  SYSTEM_MEMORY(2, Sign.POWER_LOSS);

  /** Unexpected ends of the run. */
  static final int ALL = 419;

  /** Run time before the failure. */
  static final Duration RUN = Duration.ofDays(54);

  /** GPUs of its last run. */
  static final int GPUS = 16_384;

  /** The visible signs of the failure. */
  enum Sign {
    /** A process hangs or dies, and the driver logs an error that a monitor reports. */
    XID,
    /** A process ends with an exit code and no reason. */
    EXIT,
    /** The machine boots again. */
    REBOOT,
    /** The machine does not respond until it is switched on again. */
    POWER_LOSS,
    /** Nothing. */
    NONE
  }

  private final int count;
  final Sign sign;
  private final List<Integer> codes;

  FailureKind(int count, Sign sign, Integer... codes) {
    this.count = count;
    this.sign = sign;
    this.codes = List.of(codes);
  }

  /** Draws a kind in proportion to its frequency. */
  static FailureKind draw(RandomGenerator chance) {
    int left = chance.nextInt(ALL);
    for (FailureKind kind : values()) {
      left -= kind.count;
      if (left < 0) {
        return kind;
      }
    }
    throw new IllegalStateException("the counts are fewer than " + ALL);
  }

  /** Time to the next one on this number of GPUs. */
  static Duration untilNext(RandomGenerator chance, int gpus) {
    double mean = (double) RUN.toMillis() / ALL * GPUS / gpus;
    return Duration.ofMillis(Math.max(1, (long) (-Math.log(1 - chance.nextDouble()) * mean)));
  }

  /** Draws a code of the driver for the kind. */
  int code(RandomGenerator chance) {
    return codes.get(chance.nextInt(codes.size()));
  }
}
