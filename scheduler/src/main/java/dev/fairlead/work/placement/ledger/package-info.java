/**
 * The cycle's working copy of the fleet. Every change is recorded in a journal and can be undone.
 */
@NullMarked
package dev.fairlead.work.placement.ledger;

import org.jspecify.annotations.NullMarked;
