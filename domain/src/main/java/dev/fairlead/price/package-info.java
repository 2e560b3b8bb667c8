/** The price book: what a GPU-hour costs where, and when it did. */
@NullMarked
package dev.fairlead.price;

import org.jspecify.annotations.NullMarked;
