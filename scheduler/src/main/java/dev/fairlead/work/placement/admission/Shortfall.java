package dev.fairlead.work.placement.admission;

import dev.fairlead.fleet.quota.LimitChange;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import org.jspecify.annotations.Nullable;

/**
 * A cell of which a queue does not have enough.
 *
 * @param refusing the node of the tree that refuses, the queue or one of its ancestors
 * @param asked base units asked for
 * @param available base units that the queue could take now, borrowing included; may be negative
 * @param used base units used at the refusing node
 * @param quota base units that the refusing node's subtree owns
 * @param most base units that the queue could take on an idle fleet
 * @param nonPreemptible whether nominal quota is short, for a job that is never evicted; then the
 *     figures count such jobs alone
 * @param rise when a window next lets the refusing node have more, null for never
 */
public record Shortfall(
    QuotaNode refusing,
    QuotaCell cell,
    long asked,
    long available,
    long used,
    long quota,
    long most,
    boolean nonPreemptible,
    @Nullable LimitChange rise) {}
