package dev.fairlead.people.audit.service;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.Denials;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Origin;
import dev.fairlead.people.tenant.TenantId;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Requests without a known caller, in one row of bounded size, regardless of the number of requests
 * and machines.
 *
 * @param first the first request
 * @param addresses number of requests from each of the first {@link #MOST_ADDRESSES} addresses
 */
record UnknownCallers(
    Origin first,
    String subject,
    ProblemCode code,
    SortedMap<String, Object> addresses,
    int count) {
  static final int MOST_ADDRESSES = 20;

  UnknownCallers(Origin first, String subject, ProblemCode code) {
    this(first, subject, code, new TreeMap<>(), 0);
  }

  UnknownCallers and(Origin another) {
    String address = another.address();
    if (addresses.containsKey(address) || addresses.size() < MOST_ADDRESSES) {
      addresses.merge(address, 1, UnknownCallers::sum);
    }
    return new UnknownCallers(first, subject, code, addresses, count + 1);
  }

  UnknownCallers plus(UnknownCallers later) {
    later.addresses.forEach((address, times) -> {
      if (addresses.containsKey(address) || addresses.size() < MOST_ADDRESSES) {
        addresses.merge(address, times, UnknownCallers::sum);
      }
    });
    return new UnknownCallers(first, subject, code, addresses, count + later.count);
  }

  private static Object sum(Object had, Object more) {
    return (Integer) had + (Integer) more;
  }

  AuditRecord row(TenantId tenant) {
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("code", code.name());
    if (count > 1) {
      detail.put("addresses", addresses);
    }
    Actor actor = new Actor(tenant, Denials.UNKNOWN).by(first);
    return new AuditRecord(actor, Denials.AUTHENTICATE, subject, false, detail, count);
  }
}
