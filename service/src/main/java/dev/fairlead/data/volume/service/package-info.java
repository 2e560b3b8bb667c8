/** Claims, lists and deletes volumes of projects. */
@NullMarked
package dev.fairlead.data.volume.service;

import org.jspecify.annotations.NullMarked;
