/** The price book in REST. */
@NullMarked
package dev.fairlead.money.price.web;

import org.jspecify.annotations.NullMarked;
