/** What a tenant used in a month, what it costs, and the month's sign-off. */
@NullMarked
package dev.fairlead.money.statement;

import org.jspecify.annotations.NullMarked;
