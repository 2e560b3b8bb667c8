/** The price book: what a GPU-hour costs where, and when it did. */
@NullMarked
package dev.fairlead.money.price;

import org.jspecify.annotations.NullMarked;
