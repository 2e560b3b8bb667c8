/** Monthly usage and cost of a tenant, and the signature of a month. */
@NullMarked
package dev.fairlead.money.statement;

import org.jspecify.annotations.NullMarked;
