package dev.fairlead.work.placement.admission;

import dev.fairlead.fleet.quota.LimitChange;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/**
 * A shortfall of quota in one cell of a queue.
 *
 * @param refusing the highest quota node that refuses: the queue or one of its ancestors
 * @param limiting the node with the exhausted limit: the refusing node, or a node below it on the
 *     path of the queue if the refusing node has no limit
 * @param asked requested base units
 * @param available base units that the queue could use now, including borrowing, possibly negative
 * @param used base units in use at the limiting node
 * @param quota base units that the limiting node's subtree owns
 * @param most base units that the queue could use on an idle fleet
 * @param nonPreemptible whether nominal quota is short for a non-preemptible job. All amounts then
 *     count only such jobs.
 * @param rise next window that raises the limit of the limiting node, null if none
 */
@RecordBuilder
public record Shortfall(
    QuotaNode refusing,
    QuotaNode limiting,
    QuotaCell cell,
    long asked,
    long available,
    long used,
    long quota,
    long most,
    boolean nonPreemptible,
    @Nullable LimitChange rise) {}
