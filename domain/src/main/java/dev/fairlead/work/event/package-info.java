/** The log of facts: written in the transaction of the change, read in one delivery order. */
@NullMarked
package dev.fairlead.work.event;

import org.jspecify.annotations.NullMarked;
