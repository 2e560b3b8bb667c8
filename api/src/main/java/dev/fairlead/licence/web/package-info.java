/** Licences over REST. */
@NullMarked
package dev.fairlead.licence.web;

import org.jspecify.annotations.NullMarked;
