package dev.fairlead.integration;

import java.time.Instant;
import java.util.function.UnaryOperator;

/**
 * The clock of the database as statements read it, the clock of the machine, and crashes between
 * statements.
 */
final class DatabaseClock implements UnaryOperator<String> {
  /** An exception that Spring does not translate. */
  @SuppressWarnings("serial")
  static final class Died extends RuntimeException {
    Died(String statement) {
      super("the process died before: " + statement);
    }
  }

  private static final String CLOCK = "clock_timestamp()";
  private volatile long millis;
  private volatile long aheadMillis;
  private volatile int left = -1;
  private volatile boolean crashed;

  DatabaseClock(long millis) {
    this.millis = millis;
  }

  long millis() {
    return millis;
  }

  /** The clock of the process's machine. */
  Instant host() {
    return Instant.ofEpochMilli(millis);
  }

  /** Steps the database's clock: it is ahead of the machine's clock by this amount from now on. */
  void ahead(long byMillis) {
    aheadMillis = byMillis;
  }

  /** From now on the database and the machine both show this time. */
  void to(long atMillis) {
    millis = atMillis;
  }

  /** The process dies after this number of statements. */
  void crashAfter(int statements) {
    left = statements;
  }

  boolean crashed() {
    return crashed;
  }

  /** Ends all crashes. */
  void survive() {
    left = -1;
    crashed = false;
  }

  @Override
  public String apply(String statement) {
    if (left == 0) {
      left = -1;
      crashed = true;
      throw new Died(statement);
    }
    left = left > 0 ? left - 1 : left;
    return statement.replace(CLOCK, "to_timestamp(" + (millis + aheadMillis) + " / 1000.0)");
  }
}
