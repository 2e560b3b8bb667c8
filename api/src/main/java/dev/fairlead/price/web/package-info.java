/** The price book in REST. */
@NullMarked
package dev.fairlead.price.web;

import org.jspecify.annotations.NullMarked;
