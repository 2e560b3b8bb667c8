/** The audit log of changes, written in the transaction of the change. */
@NullMarked
package dev.fairlead.people.audit;

import org.jspecify.annotations.NullMarked;
