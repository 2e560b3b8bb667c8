package dev.fairlead.money.statement;

import java.util.List;

/** Policies for the cost of unused capacity, which no tenant reads itself. */
public interface IdleCostStore {
  /** Policies in order of creation. They are appended and read, never changed or removed. */
  List<IdleCostPolicy> policies();

  void insert(IdleCostPolicy policy);
}
