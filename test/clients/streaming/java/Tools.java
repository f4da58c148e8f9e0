// Runs Apache Kafka's console tools one after the other in one process, as their scripts would, and prints what each
// wrote. The first argument: [{"tool": class, "words": [...], "input": text}, ...] as JSON.
import com.fasterxml.jackson.databind.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import org.apache.kafka.common.utils.Exit;

public class Tools {
    static class Ended extends RuntimeException {}
    static Integer code; // that the tool ended with first: some catch what stops them here, and end once more

    public static void main(String[] words) throws Exception {
        Exit.setExitProcedure((given, message) -> {
            if (code == null) code = given;
            throw new Ended();
        });
        PrintStream real = System.out;
        List<Map<String, Object>> outcomes = new ArrayList<>();
        for (JsonNode one : new ObjectMapper().readTree(words[0])) {
            ByteArrayOutputStream written = new ByteArrayOutputStream();
            System.setOut(new PrintStream(written, true));
            String input = one.path("input").asText();
            System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
            List<String> given = new ArrayList<>();
            one.get("words").forEach(word -> given.add(word.asText()));
            code = null;
            try {
                Class.forName(one.get("tool").asText()).getMethod("main", String[].class)
                    .invoke(null, (Object) given.toArray(new String[0]));
            } catch (java.lang.reflect.InvocationTargetException error) {
                if (!(error.getCause() instanceof Ended)) throw error;
            }
            outcomes.add(new TreeMap<>(Map.of("code", code == null ? 0 : code, "output", written.toString(StandardCharsets.UTF_8))));
        }
        real.println(new ObjectMapper().writeValueAsString(outcomes));
        Runtime.getRuntime().halt(0);
    }
}
